import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '@flotilla/schema';
import { createSchemaValidator, type SchemaValidator } from '@flotilla/schema/validation';
import type { ConversionWebhook, ResourceInfo, SubresourceInfo, TableColumn } from '../contracts/resource-info.ts';
import type { StructuralSchema } from '../contracts/structural-schema.ts';

/** A CustomResourceDefinition as far as serving its resource needs. */
export interface CustomResourceDefinition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly scope: 'Namespaced' | 'Cluster';
    readonly names: CustomResourceNames;
    readonly versions: readonly CustomResourceVersion[];
    readonly conversion?: {
      readonly strategy: 'None' | 'Webhook';
      readonly webhook?: Pick<ConversionWebhook, 'conversionReviewVersions'> &
        Partial<Pick<ConversionWebhook, 'clientConfig'>>;
    };
  };
  readonly status?: {
    readonly acceptedNames?: CustomResourceNames;
    readonly storedVersions?: readonly string[];
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export interface CustomResourceNames {
  readonly kind: string;
  readonly plural: string;
  readonly singular?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface CustomResourceVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: StructuralSchema };
  readonly subresources?: {
    readonly status?: object;
    readonly scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  };
  readonly additionalPrinterColumns?: readonly (TableColumn & { jsonPath: string })[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

const allVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

/** Kubernetes' own answer when a custom resource names no columns. */
const defaultColumns: readonly TableColumn[] = [
  { name: 'Age', type: 'date', description: 'Time since creation.', jsonPath: '.metadata.creationTimestamp' },
];

const nameColumn: TableColumn = { name: 'Name', type: 'string', format: 'name', description: 'Name within its scope.' };

/** Where objects of a custom resource are stored. */
export const customStorage = ({ spec }: CustomResourceDefinition): string => `${spec.group}/${spec.names.plural}`;

/** The versions that a definition serves, newest first as Kubernetes orders them. */
export function customResources(definition: CustomResourceDefinition): ResourceInfo[] {
  const { spec } = definition;
  const storageVersion = spec.versions.find(({ storage }) => storage)?.name ?? '';
  return spec.versions
    .filter(({ served }) => served)
    .sort((left, right) => compareVersions(left.name, right.name))
    .map((version) => customResource(definition, version, storageVersion));
}

function customResource(
  definition: CustomResourceDefinition,
  version: CustomResourceVersion,
  storageVersion: string,
): ResourceInfo {
  const { group, scope, names } = definition.spec;
  const { scale } = version.subresources ?? {};
  return {
    group,
    version: version.name,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === 'Namespaced',
    verbs: allVerbs,
    storage: customStorage(definition),
    storageVersion,
    schema: version.schema?.openAPIV3Schema ?? anything,
    subresources: subresourcesOf(group, names.kind, version),
    columns: [nameColumn, ...(version.additionalPrinterColumns ?? defaultColumns)],
    selectableFields: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, '')),
    source: 'custom',
    ...(scale && { scalePaths: scale }),
    ...laterDefaults(definition),
    ...conversions(definition, version, storageVersion),
    ...(version.deprecated && {
      deprecationWarning: version.deprecationWarning ?? deprecation(definition, version),
    }),
  };
}

/** Names the newest version that is not deprecated, if it is newer. */
function deprecation({ spec }: CustomResourceDefinition, { name }: CustomResourceVersion): string {
  const old = `${spec.group}/${name} ${spec.names.kind} is deprecated`;
  const [newest] = spec.versions
    .filter((other) => other.served && !other.deprecated && compareVersions(other.name, name) < 0)
    .sort((left, right) => compareVersions(left.name, right.name));
  return newest ? `${old}; use ${spec.group}/${newest.name} ${spec.names.kind}` : old;
}

/**
 * Objects keep the defaults of the definition that they were written under. Those that are older than the present definition, or that
 * another version wrote, get what they lack when they are read; as long as they are stored, that is worked out once.
 */
function laterDefaults({ spec, metadata }: CustomResourceDefinition): Pick<ResourceInfo, 'defaultStored'> {
  if (!spec.versions.some(({ schema }) => hasDefaults(schema?.openAPIV3Schema ?? {}))) return {};
  const revision = Number(metadata?.resourceVersion ?? 0);
  const validators = new Map(
    spec.versions.map((version) => [`${spec.group}/${version.name}`, lazyValidator(spec, version)]),
  );
  const defaulted = new WeakMap<KubeObject, KubeObject>();
  return {
    defaultStored(object) {
      const isCurrent = validators.size === 1 && Number(object.metadata?.resourceVersion ?? 0) > revision;
      const validator = validators.get(object.apiVersion ?? '');
      if (isCurrent || !validator) return object;
      const known = defaulted.get(object);
      if (known) return known;
      const filled: KubeObject = validator().applyDefaults(object);
      const result = isDeepStrictEqual(filled, object) ? object : filled;
      defaulted.set(object, result);
      return result;
    },
  };
}

const hasDefaults = (schema: StructuralSchema): boolean =>
  schema.default !== undefined ||
  [
    ...Object.values(schema.properties ?? {}),
    ...[schema.items, schema.additionalProperties].filter((one) => typeof one === 'object'),
  ].some(hasDefaults);

/** Versions that are not the stored one see, and store, only what both know. */
function conversions(
  { spec }: CustomResourceDefinition,
  version: CustomResourceVersion,
  storageVersion: string,
): Pick<ResourceInfo, 'fromStorage' | 'toStorage' | 'conversion'> {
  const stored = spec.versions.find(({ name }) => name === storageVersion);
  if (!stored) return {};
  const storedValidator = lazyValidator(spec, stored);
  const { clientConfig, conversionReviewVersions = [] } = spec.conversion?.webhook ?? {};
  const conversion = spec.conversion?.strategy === 'Webhook' &&
    clientConfig && {
      conversion: {
        clientConfig,
        conversionReviewVersions,
        // One from before the storage version changed has been given its own.
        defaultStored: (object: KubeObject) =>
          object.apiVersion === `${spec.group}/${storageVersion}` ? storedValidator().applyDefaults(object) : object,
      },
    };
  if (version.name === storageVersion) return { ...conversion };
  const validator = lazyValidator(spec, version);
  return {
    fromStorage: (object) => validator().pruneUnknown(object).object,
    toStorage: (object) => storedValidator().pruneUnknown(object).object,
    ...conversion,
  };
}

function lazyValidator(
  { group, names, scope }: CustomResourceDefinition['spec'],
  { name, schema }: CustomResourceVersion,
): () => SchemaValidator {
  let validator: SchemaValidator | undefined;
  return () => {
    validator ??= createSchemaValidator({
      apiVersion: `${group}/${name}`,
      kind: names.kind,
      namespaced: scope === 'Namespaced',
      schema: schema?.openAPIV3Schema ?? anything,
    });
    return validator;
  };
}

const anything: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function subresourcesOf(group: string, kind: string, version: CustomResourceVersion): SubresourceInfo[] {
  const { status, scale } = version.subresources ?? {};
  return [
    ...(status ? [{ name: 'status', group, version: version.name, kind, verbs: subresourceVerbs }] : []),
    ...(scale ? [{ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: subresourceVerbs }] : []),
  ];
}

/** Stable versions before beta before alpha, higher numbers first, then names that are not versions. */
export function compareVersions(left: string, right: string): number {
  const a = parseVersion(left);
  const b = parseVersion(right);
  if (!a || !b) return a ? -1 : b ? 1 : left < right ? -1 : 1;
  return b.stability - a.stability || b.major - a.major || b.minor - a.minor;
}

function parseVersion(version: string): { major: number; stability: number; minor: number } | undefined {
  const parsed = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version);
  if (!parsed) return undefined;
  const [, major, stage, minor] = parsed;
  return {
    major: Number(major),
    stability: stage === undefined ? 2 : stage === 'beta' ? 1 : 0,
    minor: Number(minor ?? 0),
  };
}
