import('./dyn-broken.mjs');
