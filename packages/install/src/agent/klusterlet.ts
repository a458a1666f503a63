import {
  ApiGroup,
  type FeatureGateName,
  KeyPrefix,
  type Klusterlet,
  klusterlets,
  NamespaceName,
  ObjectName,
  type RegistrationDriverAgent,
} from '@flotilla/api-types';
import { type KubeClient, KubeError } from '@flotilla/kube';
import { featureGateModes } from '../feature-gate-modes.ts';

type RegistrationConfiguration = NonNullable<NonNullable<Klusterlet['spec']>['registrationConfiguration']>;

/** How a cluster is joined, as its Klusterlet records it. */
export interface KlusterletValues {
  readonly clusterName: string;
  /** `Default` or `Singleton`, or what an earlier Klusterlet has. */
  readonly mode: string;
  readonly clientCertExpirationSeconds?: number;
  /** How the agent gets its identity; `csr` if absent, as in the API. */
  readonly registrationDriver?: RegistrationDriverAgent;
  /** How add-ons get access to the API of the hub; `csr` if absent. */
  readonly addonDriver?: NonNullable<RegistrationConfiguration['addOnKubeClientRegistrationDriver']>;
  /** Keys without the prefix of agents get it. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly featureGates?: Readonly<Partial<Record<FeatureGateName, boolean>>>;
  /** Where the hub may reach this cluster. */
  readonly external?: { readonly server: string; readonly ca?: string };
}

/** The Klusterlet of a cluster that is joined like this. */
export const klusterlet = (values: KlusterletValues): Klusterlet => {
  const { clusterName, mode, registrationDriver, addonDriver, clientCertExpirationSeconds, external } = values;
  const { annotations = {}, featureGates = {} } = values;
  const clusterAnnotations = Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [prefixed(key), value]),
  );
  return {
    apiVersion: `${ApiGroup.Operator}/v1`,
    kind: 'Klusterlet',
    metadata: { name: ObjectName.Klusterlet },
    spec: {
      clusterName,
      namespace: NamespaceName.Agent,
      deployOption: { mode },
      ...(external && { externalServerURLs: [externalServer(external)] }),
      registrationConfiguration: {
        featureGates: featureGateModes('spoke-registration', featureGates),
        ...(registrationDriver && { registrationDriver }),
        ...(addonDriver && { addOnKubeClientRegistrationDriver: addonDriver }),
        ...(clientCertExpirationSeconds !== undefined && { clientCertExpirationSeconds }),
        ...(Object.keys(clusterAnnotations).length > 0 && { clusterAnnotations }),
      },
    },
  };
};

const externalServer = ({ server, ca }: NonNullable<KlusterletValues['external']>) => ({
  url: server,
  ...(ca !== undefined && { caBundle: Buffer.from(ca).toString('base64') }),
});

const prefixed = (key: string): string =>
  key.startsWith(KeyPrefix.AgentAnnotation) ? key : `${KeyPrefix.AgentAnnotation}/${key}`;

/** The Klusterlets of a cluster; none if it does not serve the kind. */
export async function listKlusterlets(client: KubeClient): Promise<Klusterlet[]> {
  try {
    return (await client.resource(klusterlets).list()).items;
  } catch (error) {
    if (KubeError.is(error, 'NotFound', 'UnknownKind')) return [];
    throw error;
  }
}
