export { ShardingsView } from './shardings-view';
