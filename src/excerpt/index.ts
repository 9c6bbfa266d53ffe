export { saveExcerpt } from './save-excerpt';
