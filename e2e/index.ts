// What the benchmarks share with the suites: the peer's programs, and how programs are started on servers.
export { type AddOnAuthor, configKind, startAuthor } from './addons/author.ts';
export { startWorkAgents } from './addons/work-agents.ts';
export { serveAddOnVersions } from './interop/addon-versions.ts';
export { ocmDefinitions } from './ocm/definitions.ts';
export { ocmPrograms } from './ocm/programs.ts';
export { type Crowd, pushMember, startCrowd } from './push/crowd.ts';
export { administrator } from './registration/administrator.ts';
export { bootstrapAccount, type Fleet, startFleet } from './registration/fleet.ts';
export { bundleOf, type Program, startExecutable, startProgram } from './registration/program.ts';
export { deploy, kubeconfigOf } from './registration/servers.ts';
