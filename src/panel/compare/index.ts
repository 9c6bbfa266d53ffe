export { CompareView } from './compare-view';
export { besideWidget } from './beside';
