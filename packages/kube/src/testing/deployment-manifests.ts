import { readdirSync, readFileSync } from 'node:fs';
import { type Document, parseAllDocuments } from 'yaml';

/** What manifests must not have: one line for each problem, none if all is well. */
export function manifestProblems(directory: URL): string[] {
  const files = readdirSync(directory);
  if (files.length === 0) return [`${directory.pathname} has no manifests`];
  return files.flatMap((file) => {
    const documents = parseAllDocuments(readFileSync(new URL(file, directory), 'utf8'));
    const problems = documents.length === 0 ? ['has no objects'] : documents.flatMap(problemsOf);
    return problems.map((problem) => `${file}: ${problem}`);
  });
}

/** As much of an object as is looked at. */
interface ManifestObject {
  readonly kind?: string;
  readonly rules?: object[];
  readonly spec?: { readonly template?: { readonly spec?: PodSpec } };
}

interface PodSpec {
  readonly securityContext?: { readonly runAsNonRoot?: boolean };
  readonly containers?: {
    readonly name?: string;
    readonly securityContext?: { readonly readOnlyRootFilesystem?: boolean };
  }[];
}

function problemsOf(document: Document.Parsed): string[] {
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
  ];
}
