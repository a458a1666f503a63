import { KlusterletCondition, KlusterletReason, SecretName } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';
import type { HubAnswer } from './check-hub.ts';

const reasons = KlusterletReason.HubConnectionDegraded;

/** One half of the condition: what is wrong, or right, with one way to the hub. */
export interface ConnectionFinding {
  readonly reason: keyof typeof reasons;
  readonly message: string;
}

/** What the credentials of the agents lead to. */
export interface CredentialsState {
  /** `namespace/name` of the Secret. */
  readonly key: string;
  readonly exists: boolean;
  readonly hasCredentials: boolean;
  readonly clusterName: string;
  /** Absent where the hub could not be asked. */
  readonly answer?: HubAnswer;
}

/** What is to say about the credentials of the agents. */
export function credentialsFinding({
  key,
  exists,
  hasCredentials,
  clusterName,
  answer,
}: CredentialsState): ConnectionFinding {
  if (!exists) {
    return {
      reason: reasons.HubKubeConfigSecretMissing,
      message: `Secret ${key} does not exist: the cluster is not registered yet`,
    };
  }
  if (!hasCredentials) {
    return {
      reason: reasons.HubKubeConfigMissing,
      message: `Secret ${key} has no credentials yet: they come when the hub has accepted the cluster`,
    };
  }
  if (clusterName === '') {
    return {
      reason: reasons.ClusterNameMissing,
      message: `Secret ${key} has no cluster-name, and spec.clusterName is empty`,
    };
  }
  if (answer?.kind === 'failed') {
    return {
      reason: reasons.HubKubeConfigError,
      message: `The hub of Secret ${key} cannot be asked: ${answer.message}`,
    };
  }
  if (answer?.kind === 'denied') {
    return {
      reason: reasons.HubKubeConfigUnauthorized,
      message: `The hub of Secret ${key} refuses: ${answer.message}`,
    };
  }
  return { reason: reasons.HubConnectionFunctional, message: 'Hub connection is functioning correctly' };
}

/** A way to register. */
export interface BootstrapState {
  readonly key: string;
  readonly exists: boolean;
  /** The key in its data that agents would need. */
  readonly missingKey?: string;
  /** Absent where the hub could not be asked. */
  readonly answer?: HubAnswer;
}

/** What is to say about the ways to register: one that works is enough. */
export function bootstrapFinding(ways: readonly BootstrapState[]): ConnectionFinding {
  const found = ways.map(findingOf);
  const order = [
    reasons.BootstrapSecretFunctional,
    reasons.BootstrapSecretUnauthorized,
    reasons.BootstrapSecretError,
    reasons.BootstrapSecretMissing,
  ] as const;
  const reason = order.find((one) => found.some((finding) => finding.reason === one)) ?? reasons.BootstrapSecretMissing;
  return { reason, message: found.map(({ message }) => message).join('\n') };
}

function findingOf({ key, exists, missingKey, answer }: BootstrapState): ConnectionFinding {
  if (!exists) {
    const hint = key.endsWith(SecretName.BootstrapHubKubeconfig)
      ? 'create it with the bootstrap kubeconfig of the hub'
      : 'create it, or do not list it';
    return { reason: reasons.BootstrapSecretMissing, message: `Secret ${key} does not exist: ${hint}` };
  }
  if (missingKey !== undefined) {
    return {
      reason: reasons.BootstrapSecretMissing,
      message: `Secret ${key} has no ${missingKey}, which registration by the driver of this Klusterlet needs: join again with its --registration-auth`,
    };
  }
  if (answer?.kind === 'failed') {
    return {
      reason: reasons.BootstrapSecretError,
      message: `The hub of Secret ${key} cannot be asked: ${answer.message}`,
    };
  }
  if (answer?.kind === 'denied') {
    return {
      reason: reasons.BootstrapSecretUnauthorized,
      message: `The hub of Secret ${key} refuses: ${answer.message}`,
    };
  }
  return { reason: reasons.BootstrapSecretFunctional, message: `Secret ${key} is functional` };
}

/** The condition: degraded unless the credentials of the agents work. */
export function hubConnection(
  credentials: ConnectionFinding,
  bootstrap: ConnectionFinding | undefined,
): ConditionInput {
  const type = KlusterletCondition.HubConnectionDegraded;
  if (credentials.reason === reasons.HubConnectionFunctional) return { type, status: 'False', ...credentials };
  const both = bootstrap ? [bootstrap, credentials] : [credentials];
  return {
    type,
    status: 'True',
    reason: both.map(({ reason }) => reason).join(','),
    message: both.map(({ message }) => message).join('\n'),
  };
}
