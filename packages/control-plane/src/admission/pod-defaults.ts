import type { Pod, PriorityClass } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import type { AdmissionPlugin, AdmissionRequest } from '../contracts/admission.ts';
import type { Storage } from '../contracts/storage.ts';
import { forbidden } from '../errors/api-errors.ts';

const isNewPod = ({ info, operation, subresource }: AdmissionRequest): boolean =>
  info.storage === '/pods' && operation === 'CREATE' && subresource === undefined;

const withSpec = (pod: Pod, fields: Partial<NonNullable<Pod['spec']>>): KubeObject => {
  const changed: Pod = { ...pod, spec: { ...(pod.spec ?? { containers: [] }), ...fields } };
  return changed;
};

const tolerationSeconds = 300;
const toleratedTaints = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** A pod stays five minutes on a node that does not answer, unless it says otherwise. */
export const defaultTolerations = (): AdmissionPlugin => ({
  name: 'DefaultTolerationSeconds',
  handles: isNewPod,
  mutate({ object = {} }) {
    const pod: Pod = object;
    const given = pod.spec?.tolerations ?? [];
    const missing = toleratedTaints.filter(
      (taint) =>
        !given.some(
          ({ key, effect }) =>
            (key === taint || key === undefined || key === '') &&
            (effect === 'NoExecute' || effect === undefined || effect === ''),
        ),
    );
    if (missing.length === 0) return undefined;
    const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }));
    return withSpec(pod, { tolerations: [...given, ...added] });
  },
});

/** Priority classes that exist without an object. */
const systemClasses: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

/** The number behind a pod's priority class, or that of the default class. */
export const priority = (storage: Pick<Storage, 'list' | 'get'>): AdmissionPlugin => ({
  name: 'Priority',
  handles: isNewPod,
  mutate({ object = {}, info, name }) {
    const pod: Pod = object;
    const wanted = pod.spec?.priorityClassName;
    const classes: readonly PriorityClass[] = storage.list('scheduling.k8s.io/priorityclasses');
    const found = wanted
      ? classes.find(({ metadata }) => metadata?.name === wanted)
      : classes.find(({ globalDefault }) => globalDefault);
    const value = found?.value ?? (wanted ? systemClasses[wanted] : 0);
    if (value === undefined) throw forbidden(info, name, `no PriorityClass with name ${wanted} was found`);
    const { priority: given } = pod.spec ?? {};
    if (given !== undefined && given !== value) {
      throw forbidden(
        info,
        name,
        `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
      );
    }
    const className = wanted ?? found?.metadata?.name;
    return withSpec(pod, {
      priority: value,
      preemptionPolicy: pod.spec?.preemptionPolicy ?? found?.preemptionPolicy ?? 'PreemptLowerPriority',
      ...(className !== undefined && { priorityClassName: className }),
    });
  },
});
