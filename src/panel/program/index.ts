export { ProgramView, ProgramView as default } from './program-view';
