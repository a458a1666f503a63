export { type OperatorProgram, runOperatorProgram } from './run-operator-program.ts';
