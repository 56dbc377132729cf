import type { Answer } from '../../../../api/calls.ts';
import { CodeBlock, CodeText } from '../../../../components/values/code-block.tsx';
import { KeyValue } from '../../../../components/values/key-value.tsx';
import pythonSnippet from './snippets/verify_signature.py?raw';
import nodeSnippet from './snippets/verify-signature.mjs?raw';

type Attempt = Answer<'retrieveDelivery'>['attempts'][number];

const maxShownLength = 120;

/** The signed content of an attempt, and code that verifies its signature. */
export function SignatureExplained({ attempt }: { readonly attempt: Attempt }) {
  const headers = attempt.request_headers;
  const header = (name: string) => headers[name] ?? '';
  const content = `${header('webhook-id')}.${header('webhook-timestamp')}.${attempt.request_body}`;
  const mono = (text: string) => <code className="font-mono text-sm [overflow-wrap:anywhere]">{text}</code>;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-text-2">
        The signature is an HMAC-SHA-256 over id, timestamp and raw body, joined by points. The key is what
        stands after <code className="font-mono text-sm">whsec_</code> in the signing secret, decoded from
        base64. An attempt is signed with the secret of its moment: attempts before a roll carry the old
        signature, and those within the overlap that the endpoint is set to carry both, separated by a space.
      </p>
      <KeyValue
        pairs={[
          { key: 'webhook-id', value: mono(header('webhook-id')) },
          { key: 'webhook-timestamp', value: mono(header('webhook-timestamp')) },
          { key: 'webhook-signature', value: mono(header('webhook-signature')) },
          { key: 'service-signature', value: mono(header('service-signature')) },
        ]}
      />
      <div>
        <h4 className="mb-1.5 text-sm font-medium text-text-2">Signed content</h4>
        <div className="overflow-hidden rounded-lg border border-line bg-sunken">
          <CodeText
            label="Signed content"
            text={content.length <= maxShownLength ? content : `${content.slice(0, maxShownLength)}…`}
            wrap
          />
        </div>
      </div>
      <div>
        <h4 className="mb-1.5 text-sm font-medium text-text-2">Check it on your server</h4>
        <CodeBlock label="Code that checks the signature" variants={snippets} />
      </div>
    </div>
  );
}

const snippets = [
  { label: 'Node.js', code: nodeSnippet },
  { label: 'Python', code: pythonSnippet },
];
