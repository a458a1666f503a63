import type { Scenario } from '../scenario.ts';
import { bodies } from './bodies.ts';
import { create } from './create.ts';
import { patches } from './patches.ts';
import { update } from './update.ts';

/** Everything that is sent to both servers. */
export const scenarios: readonly Scenario[] = [...create, ...bodies, ...update, ...patches];
