import { readdirSync, readFileSync } from 'node:fs';
import { type Document, parseAllDocuments } from 'yaml';

/** What manifests must not have: one line for each error. */
export function manifestErrors(directory: URL): string[] {
  const files = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  if (files.length === 0) return [`${directory.pathname} has no manifests`];
  return files.flatMap((file) => {
    const documents = parseAllDocuments(readFileSync(new URL(file, directory), 'utf8'));
    const errors = documents.length === 0 ? ['has no objects'] : documents.flatMap(errorsOf);
    return errors.map((error) => `${file}: ${error}`);
  });
}

/** The part of an object that is checked. */
interface ManifestObject {
  readonly kind?: string;
  readonly rules?: object[];
  readonly spec?: { readonly template?: { readonly spec?: PodSpec } };
}

interface PodSpec {
  readonly securityContext?: { readonly runAsNonRoot?: boolean };
  readonly containers?: Container[];
}

interface Container {
  readonly name?: string;
  readonly args?: readonly string[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly securityContext?: { readonly readOnlyRootFilesystem?: boolean };
}

interface Probe {
  readonly httpGet?: { readonly scheme?: string };
}

function errorsOf(document: Document.Parsed): string[] {
  if (document.errors.length > 0) return document.errors.map(({ message }) => message);
  const { kind, rules = [], spec }: ManifestObject = document.toJS();
  const wildcards = JSON.stringify(rules).includes('"*"') ? ['grants something by wildcard'] : [];
  if (kind !== 'Deployment') return wildcards;
  const { securityContext, containers = [] } = spec?.template?.spec ?? {};
  return [
    ...wildcards,
    ...(securityContext?.runAsNonRoot === true ? [] : ['may run as root: set runAsNonRoot']),
    ...(containers.length > 0 ? [] : ['runs no container']),
    ...containers
      .filter((container) => container.securityContext?.readOnlyRootFilesystem !== true)
      .map(({ name }) => `${name} can write to its root file system: set readOnlyRootFilesystem`),
    ...containers
      .filter(isProbedWithoutTls)
      .map(({ name }) => `${name} serves its health over HTTPS: set scheme: HTTPS of its probes`),
  ];
}

/** A process serves HTTPS at each address beyond loopback that `--listen` names, and the kubelet is beyond it. */
const isProbedWithoutTls = ({ args = [], livenessProbe, readinessProbe }: Container): boolean =>
  args.some((arg) => arg.startsWith('--listen=')) &&
  [livenessProbe, readinessProbe].some((probe) => probe?.httpGet && probe.httpGet.scheme !== 'HTTPS');
