import { runOperatorProgram } from '@flotilla/operator/program';
import manifest from '../package.json' with { type: 'json' };
import { drivers } from './drivers.ts';

await runOperatorProgram({ name: 'flotilla-operator', version: manifest.version, drivers });
