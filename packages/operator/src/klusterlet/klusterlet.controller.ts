import { ControllerName, Finalizer, type Klusterlet, KlusterletCondition, SecretName } from '@flotilla/api-types';
import {
  addFinalizer,
  after,
  type ConditionInput,
  type Controller,
  defineController,
  done,
  isConditionTrue,
  isDeleting,
  KubeError,
  on,
  type Result,
  type StoreChange,
} from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import { mergeMap } from 'rxjs';
import { type OperatorReport, writeReport } from '../apply/index.ts';
import { cleanUp } from './cleanup/clean-up.ts';
import { isHosted, modeOf } from './config/mode.ts';
import { problemsOf } from './config/problems.ts';
import { allKlusterlets, type KlusterletDeps, klusterletsIn } from './deps.ts';
import {
  applyKlusterlet,
  type KlusterletScope,
  removeFormerNamespaces,
  removeReplaced,
  StepError,
} from './klusterlet.phases.ts';
import { configOf, syncedLabels } from './klusterlet.scope.ts';
import { applied, applyFailed, invalidSpec, prepared, prepareFailed, validFeatureGates } from './klusterlet.status.ts';
import { hostedNamespace } from './render/namespaces.ts';

/** How long the caches of a managed cluster may take. */
const syncMs = 20_000;

/** Keeps the agents of klusterlets, and removes them with their Klusterlet. */
export function klusterletController(deps: KlusterletDeps): Controller {
  const { klusterlets, local, hosted, secrets, controlPlaneNodes } = deps;
  const all = allKlusterlets(klusterlets);
  return defineController({
    name: ControllerName.Klusterlet,
    watches: [
      on(klusterlets, undefined, concernsObjects),
      on(local.changes.pipe(mergeMap((name) => (name === '' ? all() : [name])))),
      on(hosted.changes),
      ...secrets.caches.map((cache) => on(cache, klusterletsIn(klusterlets))),
      ...controlPlaneNodes.map((cache) => on(cache, all, ({ type }) => type !== 'updated')),
    ],
    reads: [local],
    async reconcile(name, { signal }) {
      const klusterlet = klusterlets.get(name);
      if (!klusterlet) {
        await hosted.release(name);
        return done;
      }
      if (isDeleting(klusterlet)) return cleanUp(deps, klusterlet, signal);
      const held = await addFinalizer(klusterlets, klusterlet, Finalizer.KlusterletCleanup);
      return held ? keep(deps, held, signal) : done;
    },
  });
}

/** Status is written by this operator; nothing is rendered from it. */
const concernsObjects = ({ object, previous }: StoreChange<Klusterlet>): boolean =>
  previous === undefined ||
  object.metadata?.generation !== previous.metadata?.generation ||
  isDeleting(object) !== isDeleting(previous) ||
  !semanticEqual(object.metadata?.labels, previous.metadata?.labels) ||
  !semanticEqual(object.metadata?.finalizers, previous.metadata?.finalizers);

async function keep(deps: KlusterletDeps, klusterlet: Klusterlet, signal: AbortSignal): Promise<Result> {
  const { klusterlets, clock } = deps;
  const config = configOf(deps, klusterlet);
  const gates = validFeatureGates(config.registrationGates, config.workGates);
  const report = (conditions: readonly ConditionInput[], kept?: OperatorReport['kept']) =>
    writeReport(klusterlets, klusterlet, { conditions: [gates, ...conditions], kept }, clock);

  const problems = problemsOf(klusterlet);
  if (problems.length > 0) {
    await report([invalidSpec(problems)]);
    return done;
  }
  const ready = await prepare(deps, klusterlet, signal);
  if (!ready.scope) {
    await report(ready.conditions);
    return done;
  }
  try {
    const { kept, renewAfterMs } = await applyKlusterlet(ready.scope);
    const wasApplied = isSettled(klusterlet);
    await removeReplaced(ready.scope);
    if (wasApplied) await removeFormerNamespaces(ready.scope);
    await report([...ready.conditions, conditionFor(ready.scope)], kept);
    return renewAfterMs === undefined ? done : after(renewAfterMs, 'a token of a hosted agent is to be renewed');
  } catch (error) {
    const { reason, cause } =
      error instanceof StepError ? error : { reason: 'KlusterletApplyFailed' as const, cause: error };
    await report([...ready.conditions, applyFailed(reason, cause)]);
    throw cause;
  }
}

/** Applied, but for a driver that agents cannot use yet, or a work agent that waits for the name of its cluster. */
function conditionFor({ config }: KlusterletScope): ConditionInput {
  if (config.driverProblem !== undefined) return invalidSpec([config.driverProblem]);
  if (config.isSingleton || config.clusterName !== '') return applied;
  const secret = `${config.agentNamespace}/${SecretName.HubKubeconfig}`;
  return invalidSpec([
    `spec.clusterName is empty, and Secret ${secret} has no cluster-name yet: the work agent starts when the registration agent has stored it`,
  ]);
}

/** Whether this generation was applied before: only then nothing of an earlier one is needed any more. */
const isSettled = ({ metadata, status }: Klusterlet): boolean =>
  isConditionTrue(status?.conditions, KlusterletCondition.Applied) &&
  status?.observedGeneration === metadata?.generation;

interface Prepared {
  /** Absent: there is no way to the managed cluster. */
  readonly scope?: KlusterletScope;
  readonly conditions: readonly ConditionInput[];
}

/** Finds the managed cluster. */
async function prepare(deps: KlusterletDeps, klusterlet: Klusterlet, signal: AbortSignal): Promise<Prepared> {
  const { local, hosted, secrets, klusterlets } = deps;
  const { name = '' } = klusterlet.metadata ?? {};
  const { generations } = klusterlet.status ?? {};
  const owner = { name, labels: syncedLabels(deps, klusterlet), generations };
  const scope = { deps, klusterlet, owner, config: configOf(deps, klusterlet) };
  if (!isHosted(modeOf(klusterlet) ?? 'Default')) {
    await hosted.release(name);
    return { scope: { ...scope, managed: local }, conditions: [] };
  }
  await local.keeper.apply(owner, [hostedNamespace(name)]);
  const secret = secrets.get(name, SecretName.ExternalManagedKubeconfig);
  try {
    if (!secret) throw missingKubeconfig(name);
    const managed = hosted.of(name, secret);
    const access = await managed.access();
    await managed.whenSynced({ signal, timeoutMs: syncMs });
    await addFinalizer(klusterlets, klusterlet, Finalizer.KlusterletHostedCleanup);
    return { scope: { ...scope, managed, access }, conditions: [prepared(secret.metadata?.creationTimestamp)] };
  } catch (error) {
    const conditions = [prepareFailed(error)];
    if (!KubeError.is(error, 'Config')) {
      await writeReport(klusterlets, klusterlet, { conditions }, deps.clock);
      throw error;
    }
    return { conditions };
  }
}

const missingKubeconfig = (name: string): KubeError =>
  new KubeError('Config', `Secret ${name}/${SecretName.ExternalManagedKubeconfig} does not exist`, {
    hint: 'Create it with the kubeconfig of the managed cluster under the key kubeconfig.',
  });
