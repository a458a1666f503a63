export { FakeClock } from './fake-clock.ts';
export { ScriptedResource, ScriptedWatch } from './scripted-resource.ts';
