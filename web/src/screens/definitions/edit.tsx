import { IconAlertCircle, IconAlertTriangle } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Suspense, lazy, useEffect, useRef, useState } from 'react';
import { call } from '@/api/client';
import { useMay } from '@/api/me';
import type { Definition, Validation } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { Button } from '@/components/button';
import { smallIcon } from '@/components/icons';
import { Loading, ProblemView } from '@/components/states';
import { useAction } from '@/components/use_action';
import { formatWhen } from '@/format/times';
import { navigate } from '@/router/router';
import { t } from '@/strings/definitions';
import type { EditorHandle } from './editor';
import { keepText, keptText } from './kept_text';
import { wordsOf } from './schema_words';
import styles from './definitions.module.css';

const Editor = lazy(() => import('./editor'));
const kTypingPause = 400;
const none: Validation['faults'] = [];

/** What the server says of the text, a moment after the last key. */
function useFaults(text: string, wanted: boolean) {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), kTypingPause);
    return () => window.clearTimeout(timer);
  }, [text]);
  const query = useQuery({ queryKey: ['definitions.validate', settled], queryFn: ({ signal }) => call('definitions.validate', { body: settled, signal }), placeholderData: keepPreviousData, enabled: wanted });
  // The text that is on the server was checked when it was saved.
  if (!wanted) return { validation: undefined, checking: false, error: null };
  return { validation: query.data, checking: settled !== text || query.isFetching, error: query.error };
}

function Faults({ faults, checking, onShow }: { faults: Validation['faults']; checking: boolean; onShow: (line: number) => void }) {
  if (faults.length === 0) return <p className="pad small dim" role="status">{t(checking ? 'checking' : 'noFaults')}</p>;
  return (
    <ul className={styles.faults} aria-label={t('faults', { count: faults.length })} tabIndex={0}>
      {faults.map((fault, at) => {
        const Picture = fault.severity === 'error' ? IconAlertCircle : IconAlertTriangle;
        return (
          <li key={at}>
            <Picture {...smallIcon} className={fault.severity === 'error' ? 'red' : 'amber'} />
            <button type="button" className="linkBtn small num" aria-label={t('atLine', { line: String(fault.line) })} onClick={() => onShow(fault.line)}>{t('line', { line: String(fault.line) })}</button>
            <span>{fault.message} <span className="mono small faint">{fault.code}</span></span>
          </li>
        );
      })}
    </ul>
  );
}

/** `definition` null: a new one. */
export function Edit({ slug, definition, newest }: { slug: string; definition: Definition | null; newest: number }) {
  const may = useMay();
  const action = useAction();
  const editor = useRef<EditorHandle>(null);
  const base = definition?.text ?? t('example_text');
  const [kept] = useState(() => keptText(slug));
  const [text, setText] = useState(kept?.text ?? base);
  const [round, setRound] = useState(0);
  const { validation, checking, error } = useFaults(text, text !== base || !definition?.valid);
  const schema = useCall('definitions.schema', {}, { staleTime: Infinity });
  const changed = text !== base;
  const version = definition?.version ?? 0;
  useEffect(() => keepText(slug, changed ? { text, version, at: new Date().toISOString() } : null), [slug, text, changed, version]);
  const faults = validation?.faults ?? none;
  const wrong = faults.some((fault) => fault.severity === 'error');
  const mayEdit = may('definitions.save');
  const back = () => {
    setText(base);
    setRound(round + 1);
  };
  const save = async () => {
    let [name, savedVersion] = [slug, 0];
    const done = await action.run('save', async () => {
      // The check on the page may still be of the text before.
      if (!definition) name = (await call('definitions.validate', { body: text })).slug ?? slug;
      const answer = await call('definitions.save', { path: { slug: name }, query: {}, body: text });
      savedVersion = answer.version;
      return t('savedAs', { version: String(answer.version) });
    }, ['definitions.show', 'definitions.list', 'definitions.versions', 'definitions.steps', 'definitions.data_columns', 'definitions.source_columns', 'definitions.mappings']);
    if (!done || !savedVersion) return;
    keepText(slug, null);
    navigate(`/definitions/${encodeURIComponent(name)}/edit`, { replace: true });
  };
  const why = wrong ? t('hasFaults') : !changed && definition ? t('unchanged') : !definition && !validation?.slug ? t('unnamed') : null;
  return (
    <>
      {kept && changed ? <div className="strip amber small" role="status">{t('restored', { when: formatWhen(kept.at) })}{definition ? <button type="button" className="linkBtn" onClick={back}>{t('discardText', { version: String(version) })}</button> : null}</div> : null}
      {kept && kept.version < newest && changed ? <div className="strip amber small" role="status">{t('newerVersion', { version: String(newest) })}</div> : null}
      {mayEdit ? null : <p className="dim">{t('lookOnly')}</p>}
      <section className={`card ${styles.editing}`} aria-label={t('editor')}>
        <header>
          <h2>{t('editor')}</h2>
          <span className="faint">{checking ? t('checking') : faults.length > 0 ? t('faults', { count: faults.length }) : t('noFaults')}</span>
          <span className="row right">
            {changed ? <span className="small faint hideSmall">{t('keptHere')}</span> : null}
            {mayEdit ? <Button small look="main" pending={action.working !== null} disabledBecause={why} onClick={() => void save()}>{definition ? t('saveAs', { version: String(newest + 1) }) : t('saveNew')}</Button> : null}
          </span>
        </header>
        <div>
          <Suspense fallback={<Loading heights={[320]} />}>
            <Editor key={round} ref={editor} label={t('editor')} text={text} onChange={setText} faults={faults} words={wordsOf(schema.data)} readOnly={!mayEdit} />
          </Suspense>
        </div>
        {action.error ? <div className="pad"><ProblemView error={action.error} compact /></div> : null}
        {error ? <div className="pad"><ProblemView error={error} compact /></div> : <Faults faults={faults} checking={checking} onShow={(line) => editor.current?.goTo(line)} />}
      </section>
    </>
  );
}
