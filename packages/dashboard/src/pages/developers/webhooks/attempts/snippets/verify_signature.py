import base64, hashlib, hmac, time

# raw_body: the bytes as they arrived, before any parsing.
def is_from_till(headers, raw_body, secret):
    message_id = headers["webhook-id"]
    timestamp = headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{message_id}.{timestamp}.".encode() + raw_body
    expected = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest())
    # Several, separated by spaces, while a replaced secret signs too.
    given = headers["webhook-signature"].split(" ")
    return any(hmac.compare_digest(one.removeprefix("v1,").encode(), expected) for one in given)
