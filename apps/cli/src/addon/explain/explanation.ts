import { type AddOnRegistration, Annotation, type PlacementStrategy } from '@flotilla/api-types';
import type { Condition } from '@flotilla/schema';
import { formatAge } from '../../output/table.ts';
import { clusterError } from '../../work/explain/chain.ts';
import { stageOf } from '../../work/work-state.ts';
import { conditionOf } from '../addon-state.ts';
import { installingPlacements } from '../installing-placements.ts';
import { type ConfigExplanation, explainConfigs } from './configs.ts';
import type { AddOnFacts } from './facts.ts';
import { waitOf } from './waits.policy.ts';

/** The way of an add-on from what the hub offers to its health on a cluster. */
export interface AddOnExplanation {
  readonly addOn: string;
  readonly cluster: string;
  /** All in one sentence. */
  readonly summary: string;
  readonly clusterState: string;
  readonly install: string;
  readonly configs: readonly ConfigExplanation[];
  readonly rollout?: string;
  readonly registration?: string;
  readonly works: readonly { readonly name: string; readonly namespace: string; readonly state: string }[];
  readonly health: string;
  readonly conditions: readonly Condition[];
  /** Absent if it is where it should be. */
  readonly waitsFor?: string;
  readonly advice: readonly string[];
}

/** Explains where an add-on is on its way to a cluster, and what it waits for. */
export function explainAddOn(facts: AddOnFacts): AddOnExplanation {
  const configs = explainConfigs(facts);
  const wait = waitOf(facts, configs);
  const rollout = rolloutText(facts);
  const registration = registrationText(facts);
  return {
    addOn: facts.name,
    cluster: facts.clusterName,
    summary: summaryOf(facts, wait?.what),
    clusterState: clusterText(facts),
    install: installText(facts),
    configs,
    ...(rollout !== undefined && { rollout }),
    ...(registration !== undefined && { registration }),
    works: facts.works.map((work) => ({
      name: work.metadata?.name ?? '',
      namespace: work.metadata?.namespace ?? '',
      state: stageOf(work) || `applied and available, ${countText(work.spec?.workload?.manifests?.length ?? 0)}`,
    })),
    health: healthText(facts),
    conditions: facts.addOn?.status?.conditions ?? [],
    ...(wait && { waitsFor: wait.what }),
    advice: wait?.advice === undefined ? [] : [wait.advice],
  };
}

const countText = (count: number): string => `${count} ${count === 1 ? 'manifest' : 'manifests'}`;

function summaryOf({ addOn }: AddOnFacts, waitsFor: string | undefined): string {
  if (!addOn) return 'is not there';
  if (addOn.metadata?.deletionTimestamp) return 'is being removed';
  const isAvailable = conditionOf(addOn, 'Available')?.status === 'True';
  if (waitsFor === undefined) return 'is Available, with the configuration that it should have';
  return isAvailable ? 'is Available, and has not all that it should have' : 'is not Available';
}

function clusterText({ cluster, clusterName, heartbeat, now }: AddOnFacts): string {
  const reported = heartbeat ? `; its agent last reported ${formatAge(heartbeat, now)} ago` : '';
  return `${clusterError(cluster, clusterName) || 'is accepted and Available'}${reported}`;
}

function installText({ offered, addOn, placements }: AddOnFacts): string {
  if (!offered) return 'the hub does not offer it';
  const chosen = placements.at(-1);
  const hosting = addOn?.metadata?.annotations?.[Annotation.HostingClusterName];
  const where = hosting === undefined ? '' : `, its agent on ${hosting}`;
  if (chosen) return `by placement ${chosen.namespace}/${chosen.name}${where}`;
  const isManual = installingPlacements(offered).length === 0;
  return `${addOn ? 'enabled on this cluster' : `not enabled${isManual ? '' : ', and no placement selects the cluster'}`}${where}`;
}

/** Of the placement that says how the add-on is configured on the cluster. */
function rolloutText({ offered, placements }: AddOnFacts): string | undefined {
  const placement = placements.at(-1);
  if (!placement) return undefined;
  const progression = offered?.status?.installProgressions?.find(
    ({ namespace, name }) => namespace === placement.namespace && name === placement.name,
  );
  const [progress] = progression?.conditions ?? [];
  return `${strategyText(placement)}: ${progress?.message ?? 'nothing is reported of it yet'}`;
}

function strategyText({ rolloutStrategy }: PlacementStrategy): string {
  const { type = 'All', progressive, progressivePerGroup } = rolloutStrategy ?? {};
  const groups = (progressive ?? progressivePerGroup)?.mandatoryDecisionGroups ?? [];
  const first = groups.map(({ groupName, groupIndex }) => groupName || `group ${groupIndex}`);
  const parts = [
    ...(first.length > 0 ? [`${first.join(', ')} first`] : []),
    ...(progressive?.maxConcurrency === undefined ? [] : [`${progressive.maxConcurrency} at once`]),
  ];
  return parts.length > 0 ? `${type} (${parts.join(', then ')})` : type;
}

function registrationText({ addOn }: AddOnFacts): string | undefined {
  const applied = addOn && conditionOf(addOn, 'RegistrationApplied');
  if (!applied) return undefined;
  const kinds = (addOn.status?.registrations ?? []).map(registrationKind);
  if (applied.status !== 'True') return applied.message;
  return kinds.length > 0 ? kinds.join(', ') : 'it needs none';
}

const registrationKind = ({ type, kubeClient, customSigner }: AddOnRegistration): string =>
  type === 'kubeClient'
    ? `${kubeClient?.subject?.user ?? 'a user that is not known yet'}${kubeClient?.driver ? ` by ${kubeClient.driver}` : ''}`
    : `a certificate of ${customSigner?.signerName}`;

function healthText({ addOn, now }: AddOnFacts): string {
  const available = addOn && conditionOf(addOn, 'Available');
  if (!available) return 'nothing is reported yet';
  const { status, reason, message, lastTransitionTime } = available;
  return `Available is ${status} for ${formatAge(lastTransitionTime, now)} (${reason}): ${message}`;
}
