import scriptAddress from '@mermaid-js/tiny/dist/mermaid.tiny.js?url';
import { defineComponent, h, onMounted, ref } from 'vue';

/** What is used of Mermaid, which is loaded as a script when a page has a diagram. */
interface Mermaid {
  initialize(options: { startOnLoad: boolean; theme: string }): void;
  render(id: string, source: string): Promise<{ svg: string }>;
}

let loading: Promise<Mermaid> | undefined;
let drawn = 0;

function loadMermaid(): Promise<Mermaid> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = scriptAddress;
    script.onload = () => resolve(Reflect.get(globalThis, 'mermaid'));
    script.onerror = () => reject(new Error(`${scriptAddress} cannot be loaded`));
    document.head.append(script);
  });
  return loading;
}

/** A diagram in Mermaid's language. Without JavaScript the reader sees its source. */
export const Diagram = defineComponent({
  props: { source: { type: String, required: true } },
  setup(props) {
    const source = decodeURIComponent(props.source);
    const svg = ref('');
    onMounted(async () => {
      const mermaid = await loadMermaid();
      mermaid.initialize({
        startOnLoad: false,
        theme: document.documentElement.classList.contains('dark') ? 'dark' : 'neutral',
      });
      drawn += 1;
      svg.value = (await mermaid.render(`diagram-${drawn}`, source)).svg;
    });
    return () => (svg.value === '' ? h('pre', source) : h('div', { class: 'diagram', innerHTML: svg.value }));
  },
});
