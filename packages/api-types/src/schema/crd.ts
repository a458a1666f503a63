import type { ObjectMeta, ResourceType } from '../meta.ts';
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

/** apiextensions.k8s.io/v1 CustomResourceDefinition, as far as we write it. */
export interface CustomResourceDefinition {
  apiVersion: 'apiextensions.k8s.io/v1';
  kind: 'CustomResourceDefinition';
  metadata: ObjectMeta & { name: string };
  spec: {
    group: string;
    names: { kind: string; listKind: string; plural: string; singular: string; shortNames?: string[] };
    scope: 'Cluster' | 'Namespaced';
    conversion: { strategy: 'None' };
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
export const structuralSchemaOf = (definition: KindDefinition): StructuralSchema =>
  JSON.parse(JSON.stringify(definition.schema)) as StructuralSchema;

const versionOf = (definition: KindDefinition): CustomResourceDefinitionVersion => ({
  name: definition.resource.version,
  served: true,
  storage: definition.storage,
  schema: { openAPIV3Schema: structuralSchemaOf(definition) },
  ...(definition.subresources === 'none'
    ? {}
    : { subresources: definition.subresources === 'status' ? { status: {} } : {} }),
  ...(definition.printerColumns ? { additionalPrinterColumns: [...definition.printerColumns] } : {}),
});

const definitionOf = (versions: readonly KindDefinition[], first: KindDefinition): CustomResourceDefinition => {
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
      // Kinds with two versions need a webhook to convert between them. It is served by the add-on manager, which
      // fills in its address and CA when it installs the definition; without it the server only changes apiVersion.
      conversion: { strategy: 'None' },
      versions: versions.map(versionOf),
    },
  };
};

/** One CustomResourceDefinition for each kind, with all its versions. */
export const toCustomResourceDefinitions = (definitions: readonly KindDefinition[]): CustomResourceDefinition[] => {
  const byName = Map.groupBy(definitions, ({ resource }) => `${resource.plural}.${resource.group}`);
  return [...byName.values()].flatMap((versions) => versions.slice(0, 1).map((first) => definitionOf(versions, first)));
};
