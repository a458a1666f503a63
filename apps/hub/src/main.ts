import { runHubProgram } from '@flotilla/hub-runtime/program';
import manifest from '../package.json' with { type: 'json' };
import { addonDrivers, drivers } from './drivers.ts';

await runHubProgram({ name: 'flotilla-hub', version: manifest.version, drivers, addonDrivers });
