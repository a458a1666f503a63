import type { KubeObject } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { configMaps, deployments } from '../kinds/built-in-kinds.ts';
import { controllerOf, isControlledBy, isOwnedBy, ownerReferenceTo, setOwner } from './owner-references.ts';

const owner = { metadata: { name: 'web', uid: 'u1' } };
const reference = ownerReferenceTo(deployments, owner, { controller: true, blockOwnerDeletion: true });
const object: KubeObject = { kind: 'ConfigMap', metadata: { name: 'settings' } };

describe('an owner reference', () => {
  it('names the owner by kind, name and uid', () => {
    expect(reference).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'web',
      uid: 'u1',
      controller: true,
      blockOwnerDeletion: true,
    });
    expect(ownerReferenceTo(configMaps, owner)).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'web',
      uid: 'u1',
    });
  });

  it('needs an owner that the server knows', () => {
    expect(() => ownerReferenceTo(deployments, { metadata: { name: 'web' } })).toThrow('metadata.uid');
  });

  it('is put on a copy', () => {
    const owned = setOwner(object, reference);
    expect(object.metadata).toEqual({ name: 'settings' });
    expect([isOwnedBy(owned, owner), isControlledBy(owned, owner)]).toEqual([true, true]);
    expect(controllerOf(owned)).toEqual(reference);
  });

  it('replaces an older one to the same owner', () => {
    const plain = setOwner(object, ownerReferenceTo(deployments, owner));
    expect(isControlledBy(plain, owner)).toBe(false);
    expect(setOwner(plain, reference).metadata?.ownerReferences).toEqual([reference]);
  });

  it('stands beside those to others', () => {
    const other = ownerReferenceTo(configMaps, { metadata: { name: 'other', uid: 'u2' } });
    expect(setOwner(setOwner(object, other), reference).metadata?.ownerReferences).toEqual([other, reference]);
  });

  it('is refused if another controls the object', () => {
    const otherController = ownerReferenceTo(
      deployments,
      { metadata: { name: 'otherController', uid: 'u2' } },
      { controller: true },
    );
    expect(() => setOwner(setOwner(object, otherController), reference)).toThrow(
      'already controlled by Deployment "otherController"',
    );
  });

  it('does not hold for a namesake that was created later', () => {
    const namesake = { metadata: { name: 'web', uid: 'u9' } };
    const owned = setOwner(object, reference);
    expect([isOwnedBy(owned, namesake), isControlledBy(owned, namesake)]).toEqual([false, false]);
  });
});
