/**
 * Servers that answer as a spec defines, for the specs of this repository: faults that no real server has at the right moment,
 * and requests that are counted. They may change in any version.
 */

export { manifestErrors } from './deployment-manifests.ts';
export { FakeApi } from './fake-api.ts';
export { listAllObjects } from './list-all-objects.ts';
export { ScriptedResource, ScriptedWatch } from './scripted-resource.ts';
export { ScriptedTransport } from './scripted-transport.ts';
