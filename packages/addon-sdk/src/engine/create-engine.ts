import { createInformers, joinKey, KubeError, realClock, runControllers, stderrLogger } from '@flotilla/kube';
import { noMetrics } from '@flotilla/kube/metrics';
import { Subject } from 'rxjs';
import { type AddonCaches, openCaches } from '../caches/caches.ts';
import type { AddonDeps } from '../caches/deps.ts';
import { approvalController } from '../certificates/approval.controller.ts';
import { signingController } from '../certificates/signing.controller.ts';
import { managementConfigController } from '../config-hashes/management-config.controller.ts';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import { deployController } from '../deploy/deploy.controller.ts';
import { registrationController } from '../registration/registration.controller.ts';
import { defaultWorkBudget } from '../works/split.ts';
import type { AddonEngine, AddonEngineInput, RunningAddon } from './engine.ts';
import { servedAddonType, withServedVersions } from './served-versions.ts';

interface Run extends RunningAddon {
  readonly triggers: Subject<string>;
}

/** Runs definitions of add-ons on a hub. */
export function createAddonEngine(input: AddonEngineInput): AddonEngine {
  const { clock = realClock, log = stderrLogger, metrics = noMetrics, random = Math.random } = input;
  // Who shares caches has made them of a client that fits the hub.
  const client = input.informers ? input.client : withServedVersions(input.client);
  const informers = input.informers ?? createInformers({ client, clock, log, metrics, random });
  const ownerType = servedAddonType(client);
  const runs = new Map<string, Run>();

  const start = (definition: AddonDefinition, signal: AbortSignal | undefined): Run => {
    const { name } = definition;
    if (runs.has(name)) throw new KubeError('Config', `two definitions of the add-on ${name} would undo each other`);
    const caches = openCaches(informers, definition, input);
    const triggers = new Subject<string>();
    const stopped = new AbortController();
    const deps: AddonDeps = {
      ...{ definition, client, caches, clock, log, random, triggers },
      workBudget: input.workBudget ?? defaultWorkBudget,
      ownerType,
    };
    const running = runControllers(controllersOf(deps, caches), {
      ...{ clock, log: log.child({ addon: name }), metrics, random },
      signal: signal ? AbortSignal.any([signal, stopped.signal]) : stopped.signal,
    });
    const ended = running.finally(() => {
      runs.delete(name);
      caches.close();
    });
    // Whoever awaits it gets the error; one that nobody awaits must not end the process.
    ended.catch((error: unknown) => log.error('an add-on cannot run', { addon: name, error }));
    const run: Run = {
      name,
      triggers,
      ended,
      stop() {
        stopped.abort();
        return ended;
      },
    };
    runs.set(name, run);
    return run;
  };

  const close = async () => {
    await Promise.allSettled([...runs.values()].map((run) => run.stop()));
    if (!input.informers) informers.close();
  };

  return {
    start: (definition, { signal } = {}) => start(definition, signal),
    trigger: (cluster, addon) => runs.get(addon)?.triggers.next(joinKey(cluster, addon)),
    get running() {
      return [...runs.keys()];
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const controllersOf = (deps: AddonDeps, { registration, configs }: AddonCaches) => [
  registrationController(deps),
  deployController(deps),
  ...(configs.length > 0 ? [managementConfigController(deps)] : []),
  ...(registration ? [approvalController(deps, registration), signingController(deps, registration)] : []),
];
