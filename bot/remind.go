package bot

import (
	"context"
	"fmt"
	"time"

	"paladin/bot/render"
	"paladin/game/paladin"
)

// remind tells the awaited person once more. It is made from the state at this moment: never "you have not moved" to somebody who has.
func (d *delivery) remind(ctx context.Context) (time.Duration, error) {
	seat := paladin.Seat(d.want.Seat)
	who, mine, ok := d.owner(seat)
	if !ok || d.want.Prompt != d.table.Prompt() || !mine.MyTurn() || mine.Paused {
		return 0, nil
	}
	link := d.app.boardLink(ctx, d.table.Guild(), d.in.Table)
	message := render.TurnPing(&mine.Public, seat, link)
	message.Nonce = d.nonce("remind", seat, d.in.Generation)
	if d.want.Mention {
		ref, err := d.create(ctx, d.table.Channel(), message)
		if err != nil {
			return d.channelFailure(ctx, err)
		}
		d.put(fmt.Sprintf("mention/%d", seat), ref, d.want.Prompt)
		return 0, nil
	}
	_, again, err := d.dm(ctx, who, message)
	return again, err
}
