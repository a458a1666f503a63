import type { ObjectMeta, ResourceType } from '../kube-object.ts';
import type { StructuralSchema } from '../validation/structural-schema.ts';
import type { KindDefinition, PrinterColumn } from './define-kind.ts';

/** One version in a CustomResourceDefinition. */
export interface CustomResourceDefinitionVersion {
  name: string;
  served: boolean;
  storage: boolean;
  schema: { openAPIV3Schema: StructuralSchema };
  subresources?: { status?: Record<string, never> };
  additionalPrinterColumns?: PrinterColumn[];
}

/** Where the API server finds the conversion webhook. */
export interface ConversionClient {
  url?: string;
  service?: { namespace: string; name: string; path?: string; port?: number };
  /** Base64 of the PEM of the authorities that signed its certificate; the hub's webhook server fills it in. */
  caBundle?: string;
}

/** The conversion webhook of a definition. */
export interface ConversionWebhook {
  clientConfig: ConversionClient;
  conversionReviewVersions: string[];
}

/** apiextensions.k8s.io/v1 CustomResourceDefinition, as far as we write it. */
export interface CustomResourceDefinition {
  apiVersion: 'apiextensions.k8s.io/v1';
  kind: 'CustomResourceDefinition';
  metadata: ObjectMeta & { name: string };
  spec: {
    group: string;
    names: { kind: string; listKind: string; plural: string; singular: string; shortNames?: string[] };
    scope: 'Cluster' | 'Namespaced';
    conversion: { strategy: 'None' } | { strategy: 'Webhook'; webhook: ConversionWebhook };
    versions: CustomResourceDefinitionVersion[];
  };
}

/** Where CustomResourceDefinitions themselves are served. */
export const customResourceDefinitionResource: ResourceType<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/** The schema as the API server reads it: TypeBox keeps its own marks in hidden properties, which JSON drops. */
export function structuralSchemaOf(definition: KindDefinition): StructuralSchema {
  const known = structuralSchemas.get(definition);
  if (known) return known;
  const schema = JSON.parse(JSON.stringify(definition.schema)) as StructuralSchema;
  structuralSchemas.set(definition, schema);
  return schema;
}

/** An operator renders its definitions at each reconcile. */
const structuralSchemas = new WeakMap<KindDefinition, StructuralSchema>();

const versionOf = (definition: KindDefinition, storage: boolean): CustomResourceDefinitionVersion => ({
  name: definition.resource.version,
  served: true,
  storage,
  schema: { openAPIV3Schema: structuralSchemaOf(definition) },
  ...(definition.subresources === 'none'
    ? {}
    : { subresources: definition.subresources === 'status' ? { status: {} } : {} }),
  ...(definition.printerColumns ? { additionalPrinterColumns: [...definition.printerColumns] } : {}),
});

/**
 * The versions of a kind, and who converts between them. Where the API server can only change `apiVersion`, it drops what the other
 * version does not know; without a webhook such a kind is therefore served in the newest version alone.
 */
const servedVersions = (
  versions: readonly KindDefinition[],
  client: ConversionClient | undefined,
): Pick<CustomResourceDefinition['spec'], 'conversion' | 'versions'> => {
  const differ = versions.some(({ conversion }) => conversion === 'webhook');
  if (differ && client) {
    // In OCM's order.
    const webhook = { clientConfig: client, conversionReviewVersions: ['v1', 'v1beta1'] };
    return {
      conversion: { strategy: 'Webhook', webhook },
      versions: versions.map((one) => versionOf(one, one.storage)),
    };
  }
  const served = differ ? versions.slice(-1) : versions;
  return {
    conversion: { strategy: 'None' },
    versions: served.map((one) => versionOf(one, differ || one.storage)),
  };
};

const definitionOf = (
  versions: readonly KindDefinition[],
  first: KindDefinition,
  client: ConversionClient | undefined,
): CustomResourceDefinition => {
  const { group, kind, plural, namespaced } = first.resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(first.shortNames ? { shortNames: [...first.shortNames] } : {}),
      },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      ...servedVersions(versions, client),
    },
  };
};

/** The CustomResourceDefinition of a kind in one version. */
export const toCustomResourceDefinition = (definition: KindDefinition): CustomResourceDefinition =>
  definitionOf([definition], definition, undefined);

/** One CustomResourceDefinition for each kind. */
export const toCustomResourceDefinitions = (
  definitions: readonly KindDefinition[],
  client?: ConversionClient,
): CustomResourceDefinition[] => {
  const byName = Map.groupBy(definitions, ({ resource }) => `${resource.plural}.${resource.group}`);
  return [...byName.values()].flatMap((versions) =>
    versions.slice(0, 1).map((first) => definitionOf(versions, first, client)),
  );
};
