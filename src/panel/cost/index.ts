export { CostView } from './cost-view';
export { headlineOf } from './headline';
