import type { ResourceInfo, TableColumn } from '../contracts/resource-info.ts';
import type { ResolveSchema, StructuralSchema } from '../contracts/structural-schema.ts';
import kinds from './built-in-kinds.json' with { type: 'json' };

interface BuiltInKind {
  group: string;
  version: string;
  kind: string;
  plural: string;
  singular: string;
  namespaced: boolean;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  subresources: { name: string; kind: string; group?: string; version?: string; verbs: string[] }[];
  columns: TableColumn[];
  definition: string;
}

interface BuiltInFile {
  kubernetes: string;
  kinds: BuiltInKind[];
  definitions: Record<string, StructuralSchema>;
}

const file: BuiltInFile = kinds as BuiltInFile;

/** The release of Kubernetes whose kinds these are, and that the server calls itself. */
export const kubernetesVersion: string = file.kubernetes;

/** Shared definitions that `$ref` names, for OpenAPI documents. */
export const builtInDefinitions: Readonly<Record<string, StructuralSchema>> = file.definitions;

/** Follows a reference into the built-in definitions. */
export const resolveBuiltIn: ResolveSchema = (schema) => {
  if (schema.$ref === undefined) return schema;
  const definition = file.definitions[schema.$ref] ?? {};
  // A default stands beside the reference and belongs to the place, not to the definition.
  return schema.default === undefined ? definition : { ...definition, default: schema.default };
};

/** Fields that the built-in kinds can be selected by, beyond name and namespace. */
const selectableFields: Readonly<Record<string, readonly string[]>> = {
  '/pods': [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.podIPs',
    'status.nominatedNodeName',
  ],
  '/nodes': ['spec.unschedulable'],
  '/namespaces': ['status.phase'],
  '/secrets': ['type'],
  '/services': ['spec.clusterIP', 'spec.type'],
  '/events': [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  '/replicationcontrollers': ['status.replicas'],
  'apps/replicasets': ['status.replicas'],
  'batch/jobs': ['status.successful'],
  'certificates.k8s.io/certificatesigningrequests': ['spec.signerName'],
};

/** Both groups that serve events store them in one place, as the real server does. */
const storageOf = ({ group, plural }: BuiltInKind): string => (plural === 'events' ? '/events' : `${group}/${plural}`);

/** In which version a kind with several is stored. */
const storageVersions: Readonly<Record<string, string>> = {
  '/events': 'v1',
  'autoscaling/horizontalpodautoscalers': 'v2',
};

/** The built-in kinds as resources. */
export const builtInResources = (): ResourceInfo[] =>
  file.kinds.map((kind) => ({
    group: kind.group,
    version: kind.version,
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    plural: kind.plural,
    singular: kind.singular,
    shortNames: kind.shortNames ?? [],
    categories: kind.categories ?? [],
    namespaced: kind.namespaced,
    verbs: kind.verbs,
    storage: storageOf(kind),
    storageVersion: storageVersions[storageOf(kind)] ?? kind.version,
    schema: { $ref: kind.definition },
    subresources: kind.subresources.map((subresource) => ({
      group: kind.group,
      version: kind.version,
      ...subresource,
    })),
    columns: kind.columns,
    selectableFields: selectableFields[storageOf(kind)] ?? [],
    source: 'built-in',
    ...(kind.plural === 'endpoints' && {
      deprecationWarning: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
    }),
  }));
