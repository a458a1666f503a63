import type { Scenario } from '../scenario.ts';
import { access } from './access.ts';
import { bodies } from './bodies.ts';
import { changedDefinitions } from './changed-definitions.ts';
import { create } from './create.ts';
import { custom } from './custom.ts';
import { deletion } from './deletion.ts';
import { discovery } from './discovery.ts';
import { integers } from './integers.ts';
import { kinds } from './kinds.ts';
import { lists } from './lists.ts';
import { patches } from './patches.ts';
import { policyScenarios } from './policies.ts';
import { quotaScenarios } from './quotas.ts';
import { subresources } from './subresources.ts';
import { update } from './update.ts';
import { watches } from './watches.ts';

/** All scenarios that are sent to both servers. */
export const scenarios: readonly Scenario[] = [
  ...create,
  ...bodies,
  ...update,
  ...patches,
  ...lists,
  ...watches,
  ...deletion,
  ...subresources,
  ...access,
  ...policyScenarios,
  ...custom,
  ...changedDefinitions,
  ...integers,
  ...discovery,
  ...kinds,
  ...quotaScenarios,
];
