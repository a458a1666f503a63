import { describe, expect, it } from 'vitest';
import { lastAppliedAnnotation } from './last-applied.ts';
import { applyWidget, at, ownedBy, stored, type Widget, widget, widgetManager } from './testing/widget.ts';

/** An object that client-side `kubectl apply` created. */
function clientSideApplied(spec: object, annotation = JSON.stringify(widget(spec))): Widget {
  const next = widget(spec, { annotations: { [lastAppliedAnnotation]: annotation } });
  return stored(widgetManager().update({ next, manager: 'kubectl-client-side-apply', time: at(0) }));
}

const annotationOf = (object: Widget) => object.metadata?.annotations?.[lastAppliedAnnotation];

describe('the change from client-side to server-side apply', () => {
  it('lets kubectl change what it applied on the client side', () => {
    const object = applyWidget('kubectl', widget({ replicas: 2 }), clientSideApplied({ replicas: 1 }));
    expect(object.spec).toEqual({ replicas: 2 });
    expect(ownedBy(object, 'kubectl')).toEqual({ 'f:spec': { 'f:replicas': {} } });
  });

  it('keeps the annotation up to date, with sorted keys and a line feed, so that client-side apply can go on', () => {
    const object = applyWidget('kubectl', widget({ title: '<&>', replicas: 2 }), clientSideApplied({ replicas: 1 }));
    expect(annotationOf(object)).toBe(
      '{"apiVersion":"test.example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"replicas":2,"title":"\\u003c\\u0026\\u003e"}}\n',
    );
  });

  it('does not put the annotation into itself', () => {
    const applied = widget({ replicas: 2 }, { annotations: { [lastAppliedAnnotation]: 'old', note: 'n' } });
    const annotation = annotationOf(
      applyWidget('kubectl', applied, clientSideApplied({ replicas: 1 }), { force: true }),
    );
    expect(JSON.parse(annotation ?? '')).toEqual(widget({ replicas: 2 }, { annotations: { note: 'n' } }));
  });

  it('drops the annotation when it would be larger than annotations may be', () => {
    const applied = widget({ title: 'x'.repeat(256 * 1024) });
    expect(annotationOf(applyWidget('kubectl', applied, clientSideApplied({ replicas: 1 })))).toBeUndefined();
  });

  it('still refuses to change what another manager changed since', () => {
    const live = clientSideApplied({ replicas: 1, title: 't' });
    const next: Widget = { ...live, spec: { replicas: 5, title: 't' } };
    const edited = stored(widgetManager().update({ live, next, manager: 'editor', time: at(1) }));
    expect(() => applyWidget('kubectl', widget({ replicas: 2, title: 'u' }), edited)).toThrow(
      'Apply failed with 1 conflict: conflict with "editor" using test.example.com/v1: .spec.replicas',
    );
  });

  it.each([
    ['another manager', 'other', undefined],
    ['an annotation that is no JSON', 'kubectl', '{'],
    ['an annotation that does not fit the schema', 'kubectl', '{"apiVersion":"test.example.com/v1","none":1}'],
    ['an annotation of another version', 'kubectl', '{"apiVersion":"test.example.com/v2","spec":{"replicas":1}}'],
  ])('does not help with %s', (_, manager, annotation) => {
    expect(() => applyWidget(manager, widget({ replicas: 2 }), clientSideApplied({ replicas: 1 }, annotation))).toThrow(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply"',
    );
  });
});
