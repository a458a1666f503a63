import { Annotation } from '@flotilla/api-types';
import { clusterError } from '../../work/explain/chain.ts';
import { stageOf } from '../../work/work-state.ts';
import { conditionOf } from '../addon-state.ts';
import { installingPlacements } from '../installing-placements.ts';
import { stallOf } from '../stalled-rollouts.ts';
import { type ConfigExplanation, describeConfig } from './configs.ts';
import type { AddOnFacts } from './facts.ts';

/** What an add-on waits for, and what to do about it. */
export interface Wait {
  readonly what: string;
  readonly advice?: string;
}

type Rule = (facts: AddOnFacts, configs: readonly ConfigExplanation[]) => Wait | undefined;

const notOffered: Rule = ({ name, offered, addOn }) => {
  if (offered) return undefined;
  const what = `the hub to offer it: there is no ClusterManagementAddOn ${name}`;
  return addOn
    ? { what, advice: `Offer it again, or remove it: \`flotilla addon disable --names ${name}\`.` }
    : { what, advice: 'Offer it: `flotilla addon create` or `flotilla install hub-addon`.' };
};

const notEnabled: Rule = ({ name, clusterName, offered, addOn, placements }) => {
  if (addOn || !offered) return undefined;
  const installing = installingPlacements(offered).map((each) => `${each.namespace}/${each.name}`);
  if (placements.length > 0) {
    return {
      what: 'the hub to create it: a placement selects the cluster',
      advice: 'If that lasts, the add-on manager of the hub does not run: read its log.',
    };
  }
  const enable = `\`flotilla addon enable --names ${name} --clusters ${clusterName}\``;
  if (installing.length === 0) return { what: 'being enabled on this cluster', advice: `Enable it: ${enable}.` };
  const [first = ''] = installing;
  const [namespace = '', placement = ''] = first.split('/');
  return {
    what: `a placement to select the cluster: ${installing.join(', ')} does not`,
    advice: `See why: \`flotilla explain placement ${placement} --namespace ${namespace} --clusters ${clusterName}\`.`,
  };
};

const removal: Rule = ({ addOn, works }) => {
  if (!addOn?.metadata?.deletionTimestamp) return undefined;
  const hook = conditionOf(addOn, 'HookManifestCompleted');
  if (hook?.status === 'False') {
    return { what: `what it does before it is removed: ${hook.message}`, advice: hookAdvice(works) };
  }
  const finalizers = addOn.metadata.finalizers ?? [];
  if (finalizers.length > 0) return { what: `its finalizers: ${finalizers.join(', ')}` };
  return { what: 'its works to be deleted by the agent of the cluster' };
};

function hookAdvice(works: AddOnFacts['works']): string {
  const hook = works.find(({ metadata }) => metadata?.name?.includes('-pre-delete'));
  return hook
    ? `See the Job: \`flotilla explain work ${hook.metadata?.name} -c ${hook.metadata?.namespace}\`.`
    : 'Its work is not there yet: the controller of the add-on makes it.';
}

const clusterNotWell: Rule = ({ cluster, clusterName }) => {
  const error = clusterError(cluster, clusterName);
  if (error === '') return undefined;
  return { what: `cluster ${clusterName}: ${error}`, advice: `See \`flotilla get clusters ${clusterName} -o wide\`.` };
};

const missingConfig: Rule = (_, configs) => {
  const missing = configs.find(({ state }) => state === 'missing');
  if (!missing) return undefined;
  return {
    what: `${describeConfig(missing.config)}, which ${missing.from} names and which does not exist`,
    advice: 'Create it, or name another.',
  };
};

const rollout: Rule = ({ addOn, offered, placements }) => {
  if (!addOn) return undefined;
  const configured = conditionOf(addOn, 'Configured');
  if (configured?.status !== 'False') return undefined;
  const placement = placements.at(-1);
  const progression = offered?.status?.installProgressions?.find(
    ({ namespace, name }) => namespace === placement?.namespace && name === placement?.name,
  );
  const [progress] = progression?.conditions ?? [];
  const why = stallOf(progression) ?? progress?.message;
  return {
    what: `its turn in the rollout of placement ${placement?.namespace}/${placement?.name}${why === undefined ? '' : `: ${why}`}`,
  };
};

const unsupportedConfig: Rule = ({ addOn }) => {
  const progressing = addOn && conditionOf(addOn, 'Progressing');
  if (progressing?.reason !== 'ConfigurationUnsupported') return undefined;
  return { what: progressing.message, advice: 'Take it out of spec.configs of the ManagedClusterAddOn.' };
};

const controllerAdvice = 'If that lasts, the controller of the add-on does not run: read its log.';

const unhashedConfig: Rule = ({ addOn }, configs) => {
  if (!addOn) return undefined;
  const waiting = configs.find(({ state }) => state === 'without a hash' || state === 'not given to the cluster yet');
  if (!waiting) return undefined;
  const what = `${describeConfig(waiting.config)} to be ${waiting.state === 'without a hash' ? 'hashed by the controller of the add-on' : 'given to the cluster by the add-on manager'}`;
  return { what, advice: controllerAdvice };
};

/** A condition that must be there and must not be False. */
const step =
  (
    type: 'RegistrationApplied' | 'ManifestApplied' | 'HostingManifestApplied' | 'HostingClusterValidity',
    what: string,
  ): Rule =>
  ({ addOn }) => {
    if (!addOn) return undefined;
    const condition = conditionOf(addOn, type);
    if (condition?.status === 'False') return { what: `${what}: ${condition.message}` };
    const isOptional = type !== 'RegistrationApplied' && type !== 'ManifestApplied';
    return condition || isOptional ? undefined : { what, advice: controllerAdvice };
  };

const hosted: Rule = (facts, configs) =>
  facts.addOn?.metadata?.annotations?.[Annotation.HostingClusterName] === undefined
    ? undefined
    : (step('HostingClusterValidity', 'a hosting cluster')(facts, configs) ??
      step('HostingManifestApplied', 'its works on the hosting cluster to be applied')(facts, configs));

const works: Rule = (facts) => {
  const waiting = facts.works.find((work) => stageOf(work) !== '');
  if (!waiting) return undefined;
  const { namespace, name } = waiting.metadata ?? {};
  return {
    what: `work ${name}: ${stageOf(waiting)}`,
    advice: `See why: \`flotilla explain work ${name} -c ${namespace}\`.`,
  };
};

const credentials: Rule = ({ addOn }) => {
  if (!addOn) return undefined;
  const failed = (['TokenInfrastructureReady', 'TokenRefreshed', 'CertificateRotated'] as const)
    .map((type) => conditionOf(addOn, type))
    .find((condition) => condition?.status === 'False');
  return failed && { what: `credentials of its agent: ${failed.message}` };
};

const progress: Rule = ({ addOn }) => {
  const progressing = addOn && conditionOf(addOn, 'Progressing');
  return progressing?.status === 'True' ? { what: progressing.message } : undefined;
};

const health: Rule = ({ addOn, name, clusterName }) => {
  if (!addOn) return undefined;
  const available = conditionOf(addOn, 'Available');
  if (available?.status === 'True') return undefined;
  const isLease = addOn.status?.healthCheck?.mode !== 'Customized';
  const place = addOn.status?.namespace ?? 'its namespace';
  return {
    what: available ? `its health: ${available.message}` : 'a first report of its health',
    ...(isLease && {
      advice: `Its agent renews Lease ${name} in namespace ${place} of ${clusterName} while it is well: see that it runs, and its log.`,
    }),
  };
};

/** In the order in which an add-on gets to a cluster: what stops it is the first of these. */
const rules: readonly Rule[] = [
  removal,
  notOffered,
  notEnabled,
  clusterNotWell,
  missingConfig,
  unsupportedConfig,
  rollout,
  unhashedConfig,
  step('RegistrationApplied', 'its permissions on the hub'),
  hosted,
  step('ManifestApplied', 'its works'),
  works,
  credentials,
  progress,
  health,
];

/** What an add-on waits for now; undefined if it is where it should be. */
export function waitOf(facts: AddOnFacts, configs: readonly ConfigExplanation[]): Wait | undefined {
  for (const rule of rules) {
    const wait = rule(facts, configs);
    if (wait) return wait;
  }
  return undefined;
}
