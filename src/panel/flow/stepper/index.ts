export { Stepper } from './stepper';
export { useStepping } from './use-stepping';
