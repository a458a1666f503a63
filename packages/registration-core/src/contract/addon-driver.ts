import type { ManagedClusterAddOn } from '@flotilla/api-types';
import type { Clock, Logger } from '@flotilla/kube';
import type { Observable } from 'rxjs';
import type { AgentDriver, AgentIdentity } from './agent-driver.ts';
import type { CredentialIssuer } from './credentials.ts';

/** One registration of an add-on, from the status of its ManagedClusterAddOn. Empty names are for the driver to fill in. */
export type AddonRegistration =
  /** Access to the hub's API. */
  | {
      readonly type: 'kubeClient';
      /** The auth type by --addon-kubeclient-registration-auth, which the agent writes into the status: `csr`, `token`. */
      readonly driver: string;
      readonly addonName: string;
      readonly user: string;
      readonly groups: readonly string[];
    }
  /** A certificate of another signer, for whatever the add-on does with it. */
  | {
      readonly type: 'customSigner';
      readonly addonName: string;
      readonly signerName: string;
      readonly user: string;
      readonly groups: readonly string[];
      readonly organizationUnits: readonly string[];
    };

/** Who an add-on is on the hub. */
export interface AddonSubject {
  readonly user: string;
  readonly groups: readonly string[];
}

/** The add-on that asks, as the hub has it. */
export interface ObservedAddon {
  /** Undefined once it is deleted. */
  current(): ManagedClusterAddOn | undefined;
  /** Emits when it changes. */
  readonly changes: Observable<void>;
}

/** What the credentials of an add-on are made with. */
export interface AddonDriverContext<O> {
  readonly identity: AgentIdentity;
  /** The values of the driver's own agent flags. */
  readonly options: O;
  readonly addon: ObservedAddon;
  /** What the driver by which the cluster itself registers does for add-ons. */
  readonly clusterDriver?: Pick<AgentDriver, 'addonIssuer'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** In [0, 1). */
  readonly random: () => number;
}

/** How an auth type gives credentials to add-ons, over whatever connection the cluster's own driver opened. */
export interface AddonDriver<O> {
  /** Its word for --addon-kubeclient-registration-auth, and in the status of add-ons if the API has it: `csr`, `token`. */
  readonly authType: string;
  /** What the status of add-ons calls it, where the API has no word for `authType`. Default: `authType`, if the API has it. */
  readonly statusDriver?: string;
  /** Only for clusters that register by the same driver: it uses what their agent has. */
  readonly needsClusterDriver?: boolean;
  /** Whether it can serve this registration. The driver of the cluster is asked first, then the others in their order. Pure. */
  supports(registration: AddonRegistration): boolean;
  /** The subject that the agent writes into the status of the registration. Absent: the status stays as the hub wrote it. Pure. */
  subject?(identity: AgentIdentity, registration: AddonRegistration): AddonSubject | undefined;
  /** Called once per registration; a changed registration gets another issuer. */
  create(context: AddonDriverContext<O>, registration: AddonRegistration): CredentialIssuer;
}
