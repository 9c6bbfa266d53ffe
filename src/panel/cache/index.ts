export { CacheView } from './cache-view';
export { headlineOf } from './headline';
