import { KeyPrefix } from '@flotilla/api-types';
import type { Secret } from '@flotilla/kube/kinds';
import type { AgentIdentity, CredentialIssuer, HubEndpoint } from '../../contract/index.ts';
import { decodeCredentials, type SecretOwner } from '../credentials/credential-store.ts';
import { storedEndpoint } from '../hub-endpoint/stored-endpoint.ts';

/** Label of Secrets with credentials of add-ons: the cluster. */
export const addonClusterLabel = `${KeyPrefix.AgentAnnotation}/addon-credentials`;
/** Annotation of these Secrets: the agent that got them. Two agents may register one cluster with two hubs. */
export const addonAgentAnnotation = `${KeyPrefix.AgentAnnotation}/agent`;
/** Annotation of these Secrets: the add-on. */
export const addonNameAnnotation = `${KeyPrefix.AgentAnnotation}/addon`;
/**
 * Annotation of these Secrets: uid of the ManagedCluster on the hub that issued the credentials. It is another one on another hub, also on
 * one that took the address of the first, and the same when a hub changes its address.
 */
const addonHubAnnotation = `${KeyPrefix.AgentAnnotation}/registered-cluster`;

/** Whose credentials a Secret is for. */
export interface AddonSecretOptions {
  readonly identity: AgentIdentity;
  readonly addonName: string;
  /** Uid of the ManagedCluster now. */
  readonly hub: () => string | undefined;
  readonly issuer: Pick<CredentialIssuer, 'endpointOf' | 'describe'>;
  /** Where add-ons reach the API of the hub now. */
  readonly endpoint: () => HubEndpoint;
}

/** Credentials of an add-on belong to one hub: those of another one count as absent. */
export function addonSecretOwner(options: AddonSecretOptions): SecretOwner {
  const { identity, addonName, hub, issuer, endpoint } = options;
  const serverIn = (stored: Readonly<Record<string, string>>) => storedEndpoint(issuer, stored)?.server;
  return {
    marks: () => ({
      labels: { [addonClusterLabel]: identity.clusterName },
      annotations: {
        [addonAgentAnnotation]: identity.agentName,
        [addonNameAnnotation]: addonName,
        [addonHubAnnotation]: hub() ?? '',
      },
    }),
    isForeign({ metadata, data }: Secret) {
      const issuedBy = metadata?.annotations?.[addonHubAnnotation];
      if (issuedBy) return issuedBy !== hub();
      // Agents of OCM, and earlier ones of ours, do not record it.
      const server = serverIn(decodeCredentials(data));
      return server !== undefined && server !== serverIn(issuer.describe(endpoint()));
    },
  };
}
