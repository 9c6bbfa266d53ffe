export { CostView } from './cost-view';
