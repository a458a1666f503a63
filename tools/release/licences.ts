/** A package in a CycloneDX bill of materials, as npm writes it. */
export interface Component {
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string; readonly name?: string };
    readonly expression?: string;
  }[];
}

/** Licences under which a package can be shipped with a program of Apache-2.0. */
const allowed = new Set([
  'Apache-2.0',
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
  'Python-2.0',
]);

const licenceOf = ({ licenses = [] }: Component): string =>
  licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? '').join(' AND ');

/** Of a choice, one that is allowed is enough; of several that apply, all must be. */
const isAllowed = (licence: string): boolean =>
  licence !== '' &&
  licence
    .replaceAll(/[()]/g, '')
    .split(' AND ')
    .every((part) => part.split(' OR ').some((one) => allowed.has(one.trim())));

/** Packages that cannot be shipped, or of which it is not known. */
export const licenceErrors = (components: readonly Component[]): string[] =>
  components
    .filter((component) => !isAllowed(licenceOf(component)))
    .map((component) => `${component.name}@${component.version}: ${licenceOf(component) || 'no licence'}`);

/** A table of all packages and their licences. */
export const licenceTable = (components: readonly Component[]): string =>
  [
    '# Licences of what is shipped\n',
    '| package | version | licence |\n| --- | --- | --- |',
    ...[...components]
      .sort((one, other) => one.name.localeCompare(other.name))
      .map((component) => `| ${component.name} | ${component.version} | ${licenceOf(component)} |`),
    '',
  ].join('\n');
