export { CompareView } from './compare-view';
export { besideWidget } from './main-area-compare';
export { headlineOf } from './headline';
