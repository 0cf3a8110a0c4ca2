const { price } = await import('./dyn-module.js');
const total: number = price('3');
if (total !== 3) throw new Error(`total is ${total}`);
