// What the benchmarks share with the suites: the peer's programs, and how programs are started on servers.
export { type AddOnAuthor, configKind, startAuthor } from './addons/author.ts';
export { serveAddOnVersions } from './interop/addon-versions.ts';
export { ocmDefinitions } from './ocm/definitions.ts';
export { ocmPrograms } from './ocm/programs.ts';
export { administrator } from './registration/administrator.ts';
export { bundleOf, type Program, startExecutable } from './registration/program.ts';
export { deploy } from './registration/servers.ts';
