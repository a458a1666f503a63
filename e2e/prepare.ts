// Compiles and installs the programs of others that suites run, so that they are there when the suites begin: node prepare.ts
import { prerequisites } from './prerequisites.ts';

await prerequisites['go-programs']();
