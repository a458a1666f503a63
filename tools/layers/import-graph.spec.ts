import { describe, expect, it } from 'vitest';
import { type GraphNode, mermaid } from './import-graph.ts';

const node = (name: string, layer: GraphNode['layer'], ...imports: string[]): GraphNode => ({
  name,
  layer,
  imports: new Set(imports),
});

describe('the picture of the imports', () => {
  it('has the packages by layer and an arrow for each import', () => {
    expect(mermaid([node('kube', 'kit', 'schema'), node('schema', 'schema')])).toBe(
      [
        '```mermaid',
        'flowchart BT',
        '  subgraph layer-schema["schema"]',
        '    schema',
        '  end',
        '  subgraph layer-kit["kit"]',
        '    kube',
        '  end',
        '  kube --> schema',
        '```',
      ].join('\n'),
    );
  });

  it('leaves out an arrow that follows from others', () => {
    const picture = mermaid([
      node('schema', 'schema'),
      node('kube', 'kit', 'schema'),
      node('process', 'kit', 'kube'),
      node('hub', 'app', 'process', 'kube', 'schema'),
    ]);
    expect(picture.match(/hub --> \w+/g)).toEqual(['hub --> process']);
  });

  it('does not depend on the order in which packages are found', () => {
    const nodes = [node('schema', 'schema'), node('kube', 'kit', 'schema'), node('process', 'kit', 'kube', 'schema')];
    expect(mermaid(nodes.toReversed())).toBe(mermaid(nodes));
  });
});
