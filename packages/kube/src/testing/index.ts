export { manifestProblems } from './deployment-manifests.ts';
export { everything } from './everything.ts';
export { FakeApi } from './fake-api.ts';
export { FakeClock } from './fake-clock.ts';
export { ScriptedResource, ScriptedWatch } from './scripted-resource.ts';
