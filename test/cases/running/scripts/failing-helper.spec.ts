import './failing-helper';
