import { afterAll, vi } from 'vitest';

// The bridge of `@flotilla/kube` with the major version of client-node before this one, which most programs have.
vi.mock('@kubernetes/client-node', () => import('client-node-1'));
// Specs of one worker share modules: neither the bridge of an earlier file may serve here, nor this one later files.
vi.resetModules();
afterAll(() => vi.resetModules());
await import('./client-node.spec.ts');
