export { CacheView } from './cache-view';
