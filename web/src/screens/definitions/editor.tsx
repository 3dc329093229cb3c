import { autocompletion, closeBrackets, completionKeymap, type CompletionContext } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, bracketMatching, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useImperativeHandle, useRef, type Ref } from 'react';
import type { Validation } from '@/api/schema';
import styles from './definitions.module.css';

export interface EditorHandle {
  goTo: (line: number) => void;
}

interface Props {
  label: string;
  text: string;
  onChange: (text: string) => void;
  faults: Validation['faults'];
  /** names that the schema knows, with what they mean */
  words: { label: string; info?: string }[];
  readOnly: boolean;
  ref?: Ref<EditorHandle>;
}

const nonce = (): string => document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--text)', fontSize: '12.5px' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '19px' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--text-3)', border: 'none', borderRight: '1px solid var(--hairline)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 60%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--selected)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', border: '1px solid var(--hairline)', borderRadius: '8px', boxShadow: 'var(--shadow-pop)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--selected)', color: 'var(--text)' },
  '.cm-diagnostic': { fontFamily: 'var(--sans)', fontSize: '12px' },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--blue)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--green)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--violet)' },
  { tag: tags.comment, color: 'var(--text-3)' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: 'var(--text-2)' },
]);

function marksOf(state: EditorState, faults: Validation['faults']): Diagnostic[] {
  return faults.map((fault) => {
    const line = state.doc.line(Math.min(Math.max(fault.line, 1), state.doc.lines));
    const from = Math.min(line.from + Math.max(fault.column - 1, 0), line.to);
    return { from, to: line.to > from ? line.to : from, severity: fault.severity, message: fault.message };
  });
}

/** YAML with line numbers, colours and marks at faults. It is a chunk of its own, loaded with the page that edits. */
export default function Editor({ label, text, onChange, faults, words, readOnly, ref }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef({ onChange, words });
  useEffect(() => {
    latest.current = { onChange, words };
  });
  useEffect(() => {
    const complete = (context: CompletionContext) => {
      const word = context.matchBefore(/[\w-]+/);
      if (!word && !context.explicit) return null;
      return { from: word?.from ?? context.pos, options: latest.current.words.map((one) => ({ ...one, type: 'property', apply: `${one.label}: ` })) };
    };
    const editor = new EditorView({
      parent: box.current!,
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorView.cspNonce.of(nonce()), EditorState.readOnly.of(readOnly), EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }), lineNumbers(), lintGutter(), history(), drawSelection(), bracketMatching(), closeBrackets(),
          highlightActiveLine(), highlightActiveLineGutter(), indentUnit.of('  '), yaml(), syntaxHighlighting(colours), look, autocompletion({ override: [complete] }),
          // Tab would keep keyboards in the text: Escape first, then Tab, leaves it.
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
    // The text is the editor's own once it is there; another one is another editor (its key).
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (editor) editor.dispatch(setDiagnostics(editor.state, marksOf(editor.state, faults)));
  }, [faults]);
  useImperativeHandle(ref, () => ({
    goTo: (number) => {
      const editor = view.current;
      if (!editor) return;
      const line = editor.state.doc.line(Math.min(Math.max(number, 1), editor.state.doc.lines));
      editor.dispatch({ selection: { anchor: line.from }, effects: EditorView.scrollIntoView(line.from, { y: 'center' }) });
      editor.focus();
    },
  }), []);
  return <div className={styles.editor} ref={box} />;
}
