import type { AddonDefinition, AddonEngine, RunningAddon } from '@flotilla/addon-sdk';
import { AddOnControllerName, Label } from '@flotilla/api-types';
import { type Controller, defineController, done, type Informers, keyOf, on } from '@flotilla/kube';
import { roleBindings } from '@flotilla/kube/kinds';
import { Subject } from 'rxjs';
import { batchPeriodMs } from '../attempt-all.ts';
import type { AddonCaches } from '../caches.ts';
import { when } from '../changes.ts';
import { isServed, sharedBindingOf, takesTemplates } from './template.policy.ts';

/** What runs template add-ons. */
export interface TemplateDeps {
  readonly informers: Informers;
  readonly engine: Pick<AddonEngine, 'start'>;
  /** The definition of the template add-on of a name. */
  readonly define: (name: string) => AddonDefinition;
}

/** Runs a definition for each add-on that consists of templates, from the time it is offered until no cluster has it any more. */
export function templateController(
  { managementAddOns, addOns, addOnsNamed }: AddonCaches,
  { informers, engine, define }: TemplateDeps,
): Controller {
  // The bindings that the engine makes are in the same cache.
  const bindings = informers.resource(roleBindings, { labelSelector: Label.AddOnName });
  const running = new Map<string, RunningAddon>();
  const failures = new Map<string, unknown>();
  const ended = new Subject<string>();
  const start = (name: string): void => {
    const run = engine.start(define(name));
    running.set(name, run);
    const forget = () => {
      if (running.get(name) === run) running.delete(name);
      ended.next(name);
    };
    run.ended.then(forget, (error: unknown) => {
      failures.set(name, error);
      forget();
    });
  };

  return defineController({
    name: AddOnControllerName.Template,
    isOptional: true,
    batchPeriodMs,
    // One at a time: two would start or stop the same definition.
    concurrency: 1,
    watches: [
      on(managementAddOns, undefined, when(takesTemplates)),
      on(
        addOns,
        ({ metadata }) => metadata?.name,
        when(({ status }) => status?.configReferences),
      ),
      on(bindings, sharedBindingOf, ({ type }) => type === 'added'),
      on(ended),
    ],
    async reconcile(name) {
      // Its engine could not run. It is started again after a back-off.
      const failure = failures.get(name);
      if (failures.delete(name)) throw failure;
      const installed = addOnsNamed(name);
      const run = running.get(name);
      if (isServed(managementAddOns.get(name), installed, run !== undefined)) {
        if (!run) start(name);
      } else if (run) {
        running.delete(name);
        await run.stop();
      }
      if (installed.length > 0) return done;
      // No owner takes them along. OCM leaves them, and with them the rights of agents that are gone.
      const left = bindings.list().filter((binding) => sharedBindingOf(binding) === name);
      for (const binding of left) {
        await bindings.delete(keyOf(binding), { preconditions: { uid: binding.metadata?.uid } });
      }
      return done;
    },
  });
}
